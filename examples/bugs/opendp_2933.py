"""OpenDP, issue 2933 (2026): two measurements of one sample, composed as if each had a sample of its own.

One of two people is in the sample; the first one's answer is the secret, the other one answers False. Randomised
response with ε = 1 is amplified by sampling to ln(1 + (e − 1)/2) = 0.6201…; two of them to twice that, 1.2402….
"""

from deltachain import announce, flip, program, randomised_response


@program
def one_sample(secret):
    sampled = secret and flip("1/2")
    for _ in range(2):
        announce(randomised_response(sampled, (True, False), 1))


@program
def fresh_samples(secret):
    for _ in range(2):
        sampled = secret and flip("1/2")
        announce(randomised_response(sampled, (True, False), 1))
