"""The style of the pages that ``webpage`` writes: system fonts, light and dark, good on paper."""

STYLE = """
:root { color-scheme: light dark; --paper: #fdfdfb; --ink: #1d1f21; --soft: #6a6f75;
  --line: #dfe1e3; --said: #eef3f7; --code: #f3f3ef; --link: #0b5ea8; }
@media (prefers-color-scheme: dark) { :root { --paper: #17191c; --ink: #e4e5e7; --soft: #9aa0a6;
  --line: #33373c; --said: #222932; --code: #1f2226; --link: #7fb6ea; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: .8rem; letter-spacing: .02em; margin: 0 0 .25rem; color: var(--soft); font-weight: 600; }
a { color: var(--link); text-underline-offset: .15em; }
.meta { color: var(--soft); font-size: .85rem; margin: 0; }
.meta a { color: inherit; text-decoration: none; }
.meta a:hover, .meta a:focus-visible { text-decoration: underline; }
.session { margin: 0 0 4rem; }
.session > header, .top { border-bottom: 1px solid var(--line); padding-bottom: 1rem; margin-bottom: 1.5rem; }
section { padding: .75rem 0 1rem; scroll-margin-top: 1rem; }
section:target > .meta { color: var(--link); }
.message { margin: .6rem 0; padding: .1rem 0; }
.user { background: var(--said); border-radius: .6rem; padding: .7rem 1rem; }
.words { white-space: pre-wrap; overflow-wrap: anywhere; margin: .25rem 0; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: .4rem; padding: .7rem .9rem;
  margin: .5rem 0; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
code, pre { font: .875rem/1.5 ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; }
details { margin: .4rem 0; }
summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
img { max-width: 100%; height: auto; border-radius: .4rem; }
nav ol { list-style: none; margin: 0; padding: 0; }
nav { margin-bottom: 3rem; }
nav li { padding: .4rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
@media print {
  :root { --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --said: #fff; --code: #fff; --link: #000; }
  main { max-width: none; padding: 0; }
  body { font-size: 10.5pt; }
  .user { border: 1px solid var(--line); }
  .session + .session { break-before: page; }
  h1, h2, section > .meta { break-after: avoid; }
  pre, img { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
"""
