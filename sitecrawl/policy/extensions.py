"""File extensions: how one is read from a path, and which hold no text."""

from __future__ import annotations

# Two published crawlers' lists, less what is text that people search (txt, xml, html-like
# suffixes), and the kinds of file that came after them.
_LIST = """
    7z aac apk asf avi avif bat bin bmp bz2 cab class cmd com cpl css csv deb dll dmg doc docx
    eot eps epub exe flac flv gif gz heic hta ico inf iso jar jpe jpeg jpg js json log m3u m4a
    m4v mjs mid midi mkv mov mp3 mp4 mpeg mpg msi msp odp ods odt ogg ogv old opus otf pdf
    pif png ppt pptx ps ps1 psd qt ra ram rar reg rpm rtf scr sig so svg swf tar tbz tgz tif
    tiff torrent ttf vb vbe vbs vob wasm wav weba webm webp whl wma wmv woff woff2 xls xlsx xz
    zip zst
"""
IGNORED_EXTENSIONS = tuple(_LIST.split())


def extension(path: str) -> str:
    """The lower-case extension of a URL path's last segment, "" if it has none."""
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    if dot < 0:
        return ""
    return name[dot + 1 :].partition(";")[0].lower()
