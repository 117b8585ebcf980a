/** What the API reference needs beside the console's own style. */
export const docsStyle = `
.docs { display:grid; grid-template-columns:220px minmax(0, 1fr); gap:0 36px; align-items:start }
.toc { position:sticky; top:0; max-height:100vh; overflow:auto; padding:12px 0 28px; font-size:13.5px } .toc h2 { font-size:13px; margin:16px 0 4px } .toc h2 a { text-decoration:none } .toc li a { display:block; padding:3px 0 3px 10px; border-left:1px solid var(--line); color:var(--muted); text-decoration:none } .toc a:hover { color:var(--text) }
.operations > h2 { font-size:19px; letter-spacing:-.012em; margin:44px 0 2px; scroll-margin-top:16px } .operations > .sub { margin-bottom:0 }
.op { scroll-margin-top:16px; overflow:visible } .op:target { border-color:var(--focus) } .op p { margin:6px 0; max-width:75ch; font-size:14px }
h3 { font-size:16px; font-weight:600; letter-spacing:-.01em; margin:0 } h3 a { text-decoration:none } h3 a:hover { text-decoration:underline } h4 { font-size:13px; font-weight:600; margin:18px 0 4px } h4 .muted { font-weight:450 }
code { font-family:var(--mono); font-size:.88em; letter-spacing:-.01em } .verb { font:600 12px var(--mono); border:1px solid var(--line-strong); border-radius:6px; padding:2px 7px; margin-right:4px }
.fieldlist { margin:0; font-size:13.5px } .fieldlist dt { color:var(--text); padding-top:8px } .fieldlist dd { color:var(--muted); max-width:75ch } .fieldlist dt code { font-weight:600 } .op .or { color:var(--muted); margin-top:16px } .statuses { margin-top:20px } .or b { color:var(--text); font-weight:600 }
.answer { border:1px solid var(--line); border-radius:8px; margin-top:8px; font-size:14px } p.answer { padding:9px 14px } details.answer > summary { padding:9px 14px; border-radius:8px } details.answer > div { padding:0 14px 14px } details.answer + details.answer { border-top:1px solid var(--line) } .refused a { margin-right:5px }
.example { position:relative } .example pre { margin-top:4px; max-height:none; white-space:pre-wrap } .example .btn { position:absolute; right:8px; top:8px }
@media (min-width:861px) { .example pre { padding-right:84px } }
@media (max-width:860px) { .docs { grid-template-columns:minmax(0, 1fr) } .toc { position:static; max-height:none; columns:2; column-gap:24px; padding-bottom:0 } .toc ul { break-inside:avoid } .toc h2 { break-after:avoid } .toc h2:first-child { margin-top:0 } .example .btn { position:static; margin-top:8px } .toc li a { padding:6px 0 6px 10px } }
@media (max-width:520px) { .toc { columns:1 } }
`
