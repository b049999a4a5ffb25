"""Weights of parts, learnt by ``python -m benchmarks.extraction.weights``."""

BIAS = -0.41
VALUES = (
    -0.51,  # characters of a line
    0.47,  # links of a line
    1.14,  # before the first heading
    0.39,  # text before
    0.7,  # no prose follows
    0.48,  # no prose precedes
    -2.12,  # share of the prose
)
# "article meta" is added to "meta" on articles; the name of a type to the bias.
SUBJECTS = {
    "article": 0.39,
    "article meta": 1.34,
    "article opinions": -0.18,
    "carousel": 0.62,
    "cart": 0.61,
    "comments": 0.83,
    "filters": 0.9,
    "footer": 2.19,
    "forms": 1.03,
    "invitation": 1.13,
    "listing": 0.48,
    "listing sidebar": 1.6,
    "modal": 0.28,
    "navigation": 0.18,
    "newsletter": 2.74,
    "opinions": 1.44,
    "poster": 0.58,
    "product": 0.83,
    "product reviews": 1.39,
    "related": 0.63,
    "reviews": 0.49,
    "search": 0.63,
    "sidebar": 0.66,
    "social": 1.07,
    "thread": 0.06,
    "thread forms": 4.73,
    "thread opinions": -1.96,
}
