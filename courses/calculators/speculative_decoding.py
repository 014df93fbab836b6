"""Speculative decoding: tokens a step, and when guessing pays. Leviathan, Kalman and Matias 2022, arXiv 2211.17192.

With k guesses, each accepted with probability a independently of the others, a step says 1 + a + … + a^k tokens. It
takes k draft steps and one step of the model over k + 1 positions.
"""

from __future__ import annotations

from courses.calculators.contract import Calculator, Field, Figure, Result
from courses.calculators.units import rounded

MOST = 32
FIELDS = (
    Field("acceptance", "Share of guesses accepted", "fraction", 0.7, "quantity", min=0, max=1),
    Field("guesses", "Guesses a step k", "tokens", 4, "int", min=0, max=MOST),
    Field(
        "draft",
        "A draft step, in steps of the model",
        "fraction",
        0.05,
        "quantity",
        min=0,
        max=100,
        help="Seconds of one draft step over seconds of one plain step.",
    ),
    Field(
        "check",
        "Checking, in plain steps",
        "",
        1,
        "float",
        min=0.01,
        max=1000,
        help="1 where memory bounds the step; more where arithmetic does.",
    ),
)


def tokens_a_step(acceptance: float, guesses: int) -> float:
    """Return 1 + a + … + a^k."""
    return sum(acceptance**power for power in range(guesses + 1))


def compute(*, acceptance: float, guesses: int, draft: float, check: float) -> Result:
    """Return expected tokens a step, speed-up over plain decoding, and the best number of guesses at this price."""

    def gain(count: int) -> float:
        return tokens_a_step(acceptance, count) / (count * draft + (check if count else 1))

    said = tokens_a_step(acceptance, guesses)
    best = max(range(MOST + 1), key=gain)
    cost = guesses * draft + (check if guesses else 1)
    return Result(
        figures=(
            Figure.of("speedup", "Faster than plain decoding", gain(guesses), "times"),
            Figure.of("tokens", "Tokens a step, on average", said, "tokens"),
            Figure.of("cost", "Time of a step, in plain steps", cost, "steps"),
            Figure.of("wasted", "Guesses thrown away, on average", guesses - (said - 1), "tokens"),
            Figure.of("best_guesses", f"Best number of guesses, up to {MOST}", best, "tokens"),
            Figure.of("best_speedup", "With these", gain(best), "times"),
            Figure.of("break_even_tokens", "Tokens a step at which it starts to pay", cost, "tokens"),
        ),
        formula=(
            f"(1 + a + … + a^{guesses}) / ({guesses} · {rounded(draft)} + {rounded(check)}) = {rounded(said)} / "
            f"{rounded(cost)} = {rounded(gain(guesses))} times"
        ),
        latex=rf"\frac{{\sum_{{i=0}}^{{{guesses}}} {acceptance:.3g}^i}}{{{cost:.4g}}} = {gain(guesses):.3g}",
        establishes=(
            "What a stated acceptance buys at stated prices. The model's own distribution is kept exactly, if "
            "rejection and resampling are done as in the paper."
        ),
        to_measure=(
            "Acceptance on your own traffic (it differs by task and falls with the position of the guess), the draft's "
            "step time beside the model's, and what checking costs at the batch you serve."
        ),
        convention=(
            "Guesses are accepted independently, with one probability. Checking costs the same for every k that is "
            "tried as best; the step's own extra token is counted."
        ),
    )


CALCULATOR = Calculator(
    "speculative-decoding",
    "Speculative decoding",
    "Tokens a step and speed-up from acceptance, number of guesses and the prices of draft and check.",
    FIELDS,
    compute,
)
