"""IPA, issue 972 (2024): is a shuffle in shards a shuffle, if everybody sees the sizes of the shards?

Each row goes to a shard at random; then each shard is shuffled, and the shards are put one after the other.
"""

from deltachain import announce, program, uniform


@program
def sharded(order):
    shards = ((), ())
    for row in order:
        to = uniform(0, 1)
        at = uniform(0, len(shards[to]))  # a random place in the shard: this shuffles it
        filled = shards[to][:at] + (row,) + shards[to][at:]
        shards = (filled, shards[1]) if to == 0 else (shards[0], filled)
    announce((len(shards[0]), len(shards[1])))
    announce(shards[0] + shards[1])


@program
def one_row_not_shuffled(row, rows=3):
    sizes = (0, 0)
    shard = 0
    before = 0
    for i in range(rows):
        to = uniform(0, 1)
        if i == row:
            shard = to
            before = sizes[to]
        sizes = (sizes[0] + 1, sizes[1]) if to == 0 else (sizes[0], sizes[1] + 1)
    announce(sizes)
    announce((sizes[0] if shard else 0) + before)
