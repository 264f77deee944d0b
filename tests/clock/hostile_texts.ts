/** Texts that would change markup if they were not escaped. */
export const HOSTILE_TEXTS = [
  '</script><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '<!--',
  ']]>',
  '&lt;b&gt; &amp; &#0;',
  '\u2028\u2029\u202e\u0000\u0001id\u0001',
  'javascript:alert(1)',
];
