"""Cut two fonts down to what the pages use; run only when a sign is missing, the outputs are committed.

    python cut_fonts.py math STIXTwoMath-Regular.ttf stix-two-math.woff2
    python cut_fonts.py signs IBMPlexSans-Regular.woff2 signs.woff2

Both sources are under the SIL Open Font License 1.1: STIX Two Math as carried by the PyPI wheel `ziamath` 0.13, for
formulas; IBM Plex Sans from npm's `@ibm/plex-sans` 1.1.0, for the arrows, relations, ticks and raised figures that the
Latin files of the text fonts lack. Needs `fonttools[woff]`.
"""

import sys

from fontTools import subset

MATH = [
    (0x20, 0x7E),
    (0xA0, 0xB7),
    (0xD7, 0xD7),
    (0xF7, 0xF7),
    (0x131, 0x131),
    (0x237, 0x237),
    (0x2C6, 0x2C7),
    (0x2DC, 0x2DC),
    (0x302, 0x304),
    (0x391, 0x3C9),  # Greek
    (0x3D1, 0x3D5),
    (0x3F5, 0x3F5),
    (0x2013, 0x2014),
    (0x2016, 0x2016),
    (0x2026, 0x2026),
    (0x2032, 0x2033),
    (0x2061, 0x2064),  # invisible operators
    (0x20D7, 0x20D7),
    (0x210E, 0x210E),
    (0x2113, 0x2113),
    (0x211D, 0x211D),
    (0x2190, 0x2194),  # arrows
    (0x21A6, 0x21A6),
    (0x21D0, 0x21D4),
    (0x2200, 0x220B),  # operators
    (0x220F, 0x2213),
    (0x2215, 0x221E),
    (0x2223, 0x222B),
    (0x2248, 0x2248),
    (0x2260, 0x226B),
    (0x2282, 0x2287),
    (0x2295, 0x2299),
    (0x22C5, 0x22C5),
    (0x22EE, 0x22F1),
    (0x2308, 0x230B),  # floor and ceiling
    (0x23DE, 0x23DF),  # braces over and under
    (0x27E8, 0x27E9),
    (0x2A7D, 0x2A7E),
    (0x1D434, 0x1D467),  # italic letters
    (0x1D6E2, 0x1D71B),  # italic Greek
    (0x1D4AA, 0x1D4AA),  # the O of a bound
]
SIGNS = [
    (0xB1, 0xB3),
    (0xB9, 0xB9),
    (0xD7, 0xD7),
    (0x2070, 0x2089),  # raised and lowered figures
    (0x2190, 0x2193),  # arrows
    (0x2211, 0x2212),
    (0x221A, 0x221A),
    (0x221E, 0x221E),
    (0x2248, 0x2248),
    (0x2260, 0x2265),
    (0x2713, 0x2713),
]


def main(which: str, source: str, target: str) -> None:
    options = subset.Options()
    options.flavor = "woff2"
    options.layout_features = ["ssty", "dtls", "kern", "mark", "mkmk", "ccmp"]
    options.hinting = False
    options.recalc_timestamp = False
    options.name_IDs = [0, 1, 2, 4, 5, 6, 13, 14]  # the licence travels with the font
    options.notdef_outline = True
    font = subset.load_font(source, options)
    cutter = subset.Subsetter(options)
    cutter.populate(
        unicodes=[c for first, last in (MATH if which == "math" else SIGNS) for c in range(first, last + 1)]
    )
    cutter.subset(font)
    subset.save_font(font, target, options)


if __name__ == "__main__":
    main(*sys.argv[1:])
