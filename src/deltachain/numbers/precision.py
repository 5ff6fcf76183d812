"""How closely numbers are enclosed that are not fractions: every number of bits, and why it is that one.

What is made later is made from what was made before, so that each has room for the rounding of those after it:

| bits | of what | why |
|---|---|---|
| `BALL_BITS` 512 | ln, √ and their like in programs | half of them may be lost before a weight is rounded |
| `WEIGHT_BITS` 352 | weights that a program draws by | rows are sums of them, and lose a few bits |
| `ROW_BITS` 320 | the ends of a row, and of what it cuts off | certificates are about these numbers |
| `EPSILON_BITS` 288 | e^ε beside such rows | what e^ε leaves open is not to be more than what rows do |
| `WIDE_BITS` 256 | beliefs in long integers | 32 bits for what many steps round |
| `VALUE_BITS` 160 | an exact value, where two rationals around it are wanted | for people, and for claims |

Where rows are fractions, e^ε is enclosed to 60 bits (`fraction`): machine integers have no more. Kernels have constants
of their own, which say how their integers are laid out.
"""

BALL_BITS = 512
WEIGHT_BITS = 352
ROW_BITS = 320
EPSILON_BITS = 288
WIDE_BITS = 256
VALUE_BITS = 160
