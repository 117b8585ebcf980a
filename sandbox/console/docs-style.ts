/** What the API reference needs beside the console's own style. */
export const docsStyle = `
.docs { display:grid; grid-template-columns:13.75rem minmax(0, 1fr); gap:0 2.25rem; align-items:start }
.toc { position:sticky; top:0; max-height:100vh; overflow:auto; padding:.75rem 0 1.75rem; font-size:.84375rem } .toc h2 { font-size:.8125rem; margin:1rem 0 .25rem } .toc h2 a { text-decoration:none } .toc li a { display:block; padding:.1875rem 0 .1875rem .625rem; border-left:1px solid var(--line); color:var(--muted); text-decoration:none } .toc a:hover { color:var(--text) }
.operations > h2 { font-size:1.1875rem; letter-spacing:-.012em; margin:2.75rem 0 .125rem; scroll-margin-top:1rem } .operations > .sub { margin-bottom:0 }
.op { scroll-margin-top:1rem; overflow:visible } .op:target { border-color:var(--focus) } .op p { margin:.375rem 0; max-width:75ch; font-size:.875rem }
h3 { font-size:1rem; font-weight:600; letter-spacing:-.01em; margin:0 } h3 a { text-decoration:none } h3 a:hover { text-decoration:underline } h4 { font-size:.8125rem; font-weight:600; margin:1.125rem 0 .25rem } h4 .muted { font-weight:450 }
code { font-family:var(--mono); font-size:.88em; letter-spacing:-.01em } .verb { font:600 .75rem var(--mono); border:1px solid var(--line-strong); border-radius:.375rem; padding:.125rem .4375rem; margin-right:.25rem }
.fieldlist { margin:0; font-size:.84375rem } .fieldlist dt { color:var(--text); padding-top:.5rem } .fieldlist dd { color:var(--muted); max-width:75ch } .fieldlist dt code { font-weight:600 } .op .or { color:var(--muted); margin-top:1rem } .statuses { margin-top:1.25rem } .or b { color:var(--text); font-weight:600 }
.answer { border:1px solid var(--line); border-radius:.5rem; margin-top:.5rem; font-size:.875rem } p.answer { padding:.5625rem .875rem } details.answer > summary { padding:.5625rem .875rem; border-radius:.5rem } details.answer > div { padding:0 .875rem .875rem } details.answer + details.answer { border-top:1px solid var(--line) } .refused a { margin-right:.3125rem }
.example { position:relative } .example pre { margin-top:.25rem; max-height:none; white-space:pre-wrap } .example .btn { position:absolute; right:.5rem; top:.5rem }
@media (min-width:53.8125rem) { .example pre { padding-right:5.25rem } }
@media (max-width:53.75rem) { .docs { grid-template-columns:minmax(0, 1fr) } .toc { position:static; max-height:none; columns:2; column-gap:1.5rem; padding-bottom:0 } .toc ul { break-inside:avoid } .toc h2 { break-after:avoid } .toc h2:first-child { margin-top:0 } .example .btn { position:static; margin-top:.5rem } .toc li a { padding:.375rem 0 .375rem .625rem } }
@media (max-width:32.5rem) { .toc { columns:1 } }
`
