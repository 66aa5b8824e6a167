"""C++ source as tokens: enough of its lexical grammar to change a token and nothing else.

Comments and preprocessor lines give no tokens. Whether `<` compares or opens template arguments is read off the blanks around
it: clang-format writes them around binary operators, and nowhere else.
"""
import re
from dataclasses import dataclass

PUNCTUATORS = ("<<=", ">>=", "...", "<=>", "->*", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=",
               "*=", "/=", "%=", "&=", "|=", "^=")
LEXEME = re.compile(
    r"""(?P<blank>\s+|\\\n)
      | (?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
      | (?P<string>(?:u8|[uUL])?R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"|(?:u8|[uUL])?(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'))
      | (?P<number>\.?\d(?:'?\w|[eEpP][+-]|\.)*)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<mark_>%s|.)""" % "|".join(re.escape(p) for p in PUNCTUATORS), re.X | re.S)
PREPROCESSOR = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass
class Token:
    kind: str      # word, number, string or mark
    text: str
    begin: int     # offsets into the source
    end: int
    line: int
    binary: bool   # a mark with blanks on both sides
    mate: int = -1     # index of the bracket that belongs to this one


def scan(source):
    """The lexemes of SOURCE, from its begin to its end."""
    at = 0
    line_begins = True
    while at < len(source):
        skipped = PREPROCESSOR.match(source, at) if line_begins else None
        found = skipped or LEXEME.match(source, at)
        kind = "comment" if skipped else found.lastgroup.rstrip("_")
        yield "string" if found.groupdict().get("mark") is not None and kind == "mark" else kind, found.group(), at
        line_begins = found.group().endswith("\n") or line_begins and kind in ("blank", "comment")
        at = found.end()


def tokenize(source):
    """The tokens of SOURCE, brackets with their mates."""
    tokens, opened, line = [], [], 1
    for kind, text, at in scan(source):
        if kind not in ("blank", "comment"):
            end = at + len(text)
            binary = kind == "mark" and source[at - 1 : at].isspace() and source[end : end + 1].isspace()
            tokens.append(Token(kind, text, at, end, line, binary))
            if kind == "mark" and text in CLOSING:
                opened.append(len(tokens) - 1)
            elif kind == "mark" and text in CLOSING.values() and opened:
                tokens[-1].mate = opened.pop()
                tokens[tokens[-1].mate].mate = len(tokens) - 1
        line += text.count("\n")
    return tokens
