"""Time of queries that were made up to be dear, on the index of ``benchmarks.search``.

    python -m benchmarks.search.hard --folder FOLDER [--size 200000]

With ``--size``, on the documents of ``benchmarks.search.grown``. Each query is searched for five times, each on a
newly opened file; its figure is the median of the CPU. The peak of the process's memory comes last.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import resource
import time
from pathlib import Path
from statistics import median

from benchmarks.tables import grid
from sitecrawl.search.search_index import open_index
from sitecrawl.search.search_results import search

REPEATS = 5
TERMS = (
    "transaction isolation level index vacuum table function string format regular expression module class"
    " object socket server stream buffer file path encoding thread process lock query commit branch merge"
    " rebase remote fetch"
)
COMMON = "the of and to a in is for that with as be by this are or on it an if not"
WORDS, STOP = TERMS.split(), COMMON.split()
MADE = {
    "phrases of stop words": " ".join(f'"{one} {two}"' for one, two in itertools.pairwise(STOP)),
    "a phrase of eight stop words": f'"{" ".join(STOP[:8])}"',
    "letters": " ".join("abcdefghijklmnopqrstuvwxyz"),
    "endings": " ".join(f"{word[:4]}*" for word in WORDS[:25]),
    "a name of 32 parts": ".".join(WORDS),
    "a name of 32 stop words": ".".join((STOP * 2)[:32]),
    "a name in snake case": "_".join(WORDS),
    "exclusions": "table " + " ".join(f"-{word}" for word in WORDS[:20]),
    "unknown words": " ".join(f"zq{word}xx" for word in WORDS[:20]),
    "200 words": " ".join((WORDS + STOP) * 4),
    "stop words": " ".join(STOP),
    "a long word": "a" * 500,
    "long words": " ".join(["abcdefghij" * 9] * 5),
    "one word forty times": " ".join(["table"] * 40),
}
TYPED = (
    '"in the" "of the" "to the" "is a" "it is" "to be" "as a" "for the" "on the" "and the"',
    "index Таблица 索引 データベース función größe table пакет файл 文件 システム インストール serveur réseau Datei Netzwerk server сеть 网络 ネットワーク user пользователь 用户 ユーザー password пароль 密码 パスワード Paket paquet",
    "a Б 文 の é ö table файл",
    "的 一 是 不 了 在 人 有 我 他",
    "如何在系统中安装软件包并配置网络服务器以便用户能够登录到远程计算机上运行程序",
    "パッケージをインストールする方法とシステムの設定について説明してください",
    "C++ C# F#",
    "std::vector std::string C++",
    "tra* iso* lev* ind* vac* tab* fun* str* for* reg* exp* mod* cla* obj* soc* ser* str* buf* fil* pat* enc* thr* pro* loc* que*",
    "pre*",
    "comp* cons* cont* tran* stat* inte*",
    "--no-ff --force --all --help --version --verbose --quiet",
    "index -the -of -and -to -a -in",
    "tranzaction izolation vacum functoin",
    "tabl strng objct proces",
    "is it to be or not to be if so do we go on by at an as of in",
    "SELECT a.id, b.name FROM users a LEFT JOIN orders b ON a.id = b.user_id WHERE b.total > 100 ORDER BY b.created_at DESC LIMIT 10;",
    "https://www.postgresql.org/docs/15/sql-createtable.html?foo=bar&baz=qux#SQL-CREATETABLE-PARMS2",
    "Traceback (most recent call last): File \"/usr/lib/python3.11/asyncio/runners.py\", line 190, in run return runner.run(main) ^^^^ TypeError: unsupported operand type(s) for +: 'int' and 'str'",
    "for i in range(len(x)): print(x[i].format('%s' % self.__dict__['a']))",
    "... ??? !!! ::: --- *** ((( ))) \"\"\" ''' ```",
    "\ud83d\ude00 \ud83c\udf89 \ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67\u200d\ud83d\udc66 table \ud83d\ude80",
    "😀🎉🚀",
    "كيفية تثبيت الحزمة في النظام",
    "איך להתקין חבילה table",
    '"the table of "index and "of the',
    '"""""""" "a',
    "* ** *a* the* *the of* and*",
    "self*",
    "with* that* this* from*",
    "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20",
    "3.11.2 15.4 2.39.1 18.13.0 4.2",
    "0xdeadbeef 0x00 1e10 -1 +1 1.5e-3",
    "How do I create a temporary file in Python that is deleted automatically when I close it, without leaving anything on the disk, and that also has a name that another process can open on Windows and Linux?",
    "I want to undo the last commit but keep all of the changes in my working directory because I committed to the wrong branch and now I need to move them to another branch",
    '"of the" "in the" transaction "to be" isolation',
    "os.path.join os.path.exists sys.argv a.b.c.d.e.f",
    "createServer getElementById addEventListener HTTPServer readFileSync",
    "__init__ __new__ __call__ __getattr__ __setattr__ __del__",
    "<script>alert(1)</script><a href='x'>&amp;&lt;",
    "^(?:\\w+\\s*)+$ [a-z]{2,5} \\d+\\.\\d+",
    "a\u0000b table\u0001 index",
    "ta\u200bble in\u00addex",
    "été naïve Z͑ͫ̓a̩l͍g̡o",
    "ｔａｂｌｅ ｉｎｄｅｘ",
    "α β γ δ λ π Σ",
    "วิธีติดตั้งแพ็คเกจ",
    "पैकेज कैसे स्थापित करें",
    "패키지를 설치하는 방법 시스템",
    "function returns value",
    "index html",
    "class python object method function value returns type",
    "create\n\ntable\tindex\r\nvacuum",
    "table AND index OR NOT vacuum NEAR(a b, 5) title:foo body:bar ^start",
    "title : index { body } -{title}: x",
)


def main() -> None:
    """Search and print, the dearest first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--size", type=int, default=0)
    options = parser.parse_args()
    path = options.folder / ".sitecrawl" / "bench.search.sqlite"
    if options.size:
        path = options.folder / f"grown-{options.size}.search.sqlite"
    timed(path, "table")
    gc.freeze()
    queries = {**MADE, **{text: text for text in TYPED}}
    rows = sorted(((*timed(path, text), name) for name, text in queries.items()), reverse=True)
    print(
        grid(
            ["CPU ms", "found", "query"],
            [[f"{ms:.1f}", found, repr(name[:60])] for ms, found, name in rows],
        )
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(rows)} queries, {sum(row[0] > 50 for row in rows)} above 50 ms; {peak:.0f} MB")


def timed(path: Path, text: str) -> tuple[float, int]:
    """Milliseconds of CPU of a query, and the number of pages that it finds."""
    times = []
    for _ in range(REPEATS):
        began = time.process_time()
        with open_index(path) as index:
            found = search(index, text, reader="en", sections=3)
        times.append(1000 * (time.process_time() - began))
    return median(times), found.total


if __name__ == "__main__":
    main()
