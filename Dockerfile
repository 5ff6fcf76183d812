# deltachain with its tests, for reviewers: the two commands of the README in a container.
#
#   docker build --tag deltachain .            runs `make demo`
#   docker run --rm deltachain                 runs `make test`
#   docker run --rm deltachain .venv/bin/deltachain delta example:coin --exp-epsilon 1
#
FROM python:3.12-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc git libc6-dev make \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home reviewer
WORKDIR /home/reviewer/deltachain
COPY --chown=reviewer:reviewer . .
RUN chown reviewer:reviewer .
USER reviewer
RUN make demo && make .venv/dev
CMD ["make", "test"]
