/** Names that mean something in HTML, in a script, or in an attribute. */
export const HOSTILE_NAMES: readonly string[] = [
  '</script><img src=x onerror=alert(1)>',
  '</title></style><script>alert(1)</script>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '<!--<script>',
  '<!--',
  '-->',
  ']]>',
  '&lt;script&gt;',
  'a\u2028alert(1)\u2029',
  '__proto__',
  'javascript:alert(1)',
];
