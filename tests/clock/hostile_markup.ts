/** Texts that would change markup if they were not escaped. */
export const HOSTILE_TEXTS = [
  ...['</script><script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)"],
  ...['<!--', ']]>', '&lt;b&gt; &amp; &#0;', '\u2028\u2029\u202e\u0000\u0001id\u0001', 'javascript:alert(1)'],
];

/** Hostile content for pages with clocks. Any script that runs calls `ran()`. */

/** Markup that runs script when it is inserted as HTML, or when a visitor clicks on it. */
const RUNNING = [
  '<img src=x onerror="ran()">',
  '<svg onload="ran()"></svg>',
  '<svg><image href=x onerror="ran()"/></svg>',
  '<svg><animate onbegin="ran()" attributeName="x" dur="1s"/></svg>',
  '<svg><a href="javascript:ran()"><text y="20">a</text></a></svg>',
  '<iframe srcdoc="<script>parent.ran()</script>"></iframe>',
  '<iframe src="javascript:parent.ran()"></iframe>',
  '<details open ontoggle="ran()"><summary>a</summary></details>',
  '<video src=x onerror="ran()"></video>',
  '<input autofocus onfocus="ran()">',
  '<style onload="ran()"></style>',
  '<link rel="stylesheet" href="data:text/css," onload="ran()">',
  '<a href="javascript:ran()">a</a>',
  '<form action="javascript:ran()"><button>a</button></form>',
  '<b onclick="ran()">a</b>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=ran()&gt;">',
];

/** The config of a self-contained clock, with given overrides. */
function configWith(texts: Readonly<Record<string, string>>): string {
  return JSON.stringify({
    version: 'v1',
    style: 'digital-slate',
    styleDefinition: { family: 'digital', renderer: 'text', time: { time: '%H:%M:%S' }, texts },
    unix_ms: Date.UTC(2026, 3, 18),
    offset_seconds: 0,
    abbreviation: 'UTC',
    timezone: 'UTC',
    timezone_label: 'UTC',
    format: null,
    pinned: true,
    transition: null,
    refresh: { path: '/v1/time/current', selector: { kind: 'none' } },
  });
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Fragments from a hostile server: each bare, and in a clock, inside and beside the face. */
export const HOSTILE_FRAGMENTS: readonly string[] = RUNNING.flatMap(markup => {
  const config = `<script type="application/json" id="service-clock-1-config">${configWith({})}</script>`;
  const host =
    '<div id="service-clock-1" class="service-clock-host" data-service-clock="" data-clock-config-id="service-clock-1-config">';
  return [markup, `${host}${markup}</div>${config}`, `${host}</div>${config}${markup}`];
});

/** Attributes that run script on some element, as the `texts` of a config, each with its element. */
const ATTRIBUTES: readonly (readonly [markup: string, texts: Readonly<Record<string, string>>])[] = [
  ['<img data-part="p">', { 'p@onerror': 'ran()', 'p@src': 'x' }],
  ['<video data-part="p"></video>', { 'p@onerror': 'ran()', 'p@src': 'x' }],
  ['<audio data-part="p"></audio>', { 'p@onerror': 'ran()', 'p@src': 'x' }],
  ['<svg><image data-part="p"/></svg>', { 'p@onerror': 'ran()', 'p@href': 'x' }],
  ['<svg><a data-part="p"><text y="20">a</text></a></svg>', { 'p@href': 'javascript:ran()' }],
  ['<a data-part="p">a</a>', { 'p@href': 'javascript:ran()' }],
  ['<a data-part="p">a</a>', { 'p@onclick': 'ran()' }],
  ['<button data-part="p">a</button>', { 'p@onclick': 'ran()' }],
  ['<form><button data-part="p">a</button></form>', { 'p@formaction': 'javascript:ran()' }],
  ['<form data-part="p"><button>a</button></form>', { 'p@action': 'javascript:ran()' }],
  ['<details data-part="p"><summary>a</summary></details>', { 'p@ontoggle': 'ran()', 'p@open': '' }],
  ['<input data-part="p">', { 'p@type': 'image', 'p@onerror': 'ran()', 'p@src': 'x' }],
  ['<b data-part="p">a</b>', { 'p@tabindex': '1', 'p@onfocus': 'ran()', 'p@autofocus': '' }],
  ['<b data-part="p">a</b>', { 'p@onclick': 'ran()' }],
  [
    '<b data-part="p">a</b>',
    { 'p@style': 'animation:sc-turn 0.1s', 'p@onanimationend': 'ran()', 'p@onclick': 'ran()' },
  ],
];

/** Elements that pass a sanitiser and could be mistaken for configs. */
const CONFIG_ELEMENTS = ['p', 'div', 'span', 'pre', 'code', 'textarea', 'script', 'template'];

/** What a visitor could write to load a clock from each of some URLs. */
export function hostileSources(urls: readonly string[]): string[] {
  return urls.flatMap((url, index) => {
    const tag = ['div', 'span', 'p', 'section', 'b'][index % 5];
    return [
      `<${tag} data-service-clock-src="${escaped(url)}">a</${tag}>`,
      `<svg><g data-service-clock-src="${escaped(url)}"></g></svg>`,
    ];
  });
}

/** What a visitor could write to make a clock use their config. */
export function hostileConfigs(): string[] {
  return ATTRIBUTES.flatMap(([markup, texts], row) =>
    CONFIG_ELEMENTS.map((tag, column) => {
      const id = `c${row}-${column}`;
      const config = `<${tag} type="application/json" id="${id}">${escaped(configWith(texts))}</${tag}>`;
      const host = (inner: string) => `<div data-service-clock data-clock-config-id="${id}">${inner}</div>`;
      return [
        host(markup) + config,
        config + host(markup),
        host(markup + config),
        `<section>${config}</section>${host(markup)}`,
      ][(row + column) % 4]!;
    }),
  );
}

/** Names that could shadow globals or properties that the script reads. */
export const CLOBBERING: readonly string[] = [
  ...[
    ...['serviceClock', 'currentScript', 'querySelectorAll', 'baseURI', 'location', 'children', 'version'],
  ].flatMap(name => [
    `<img id="${name}"><img name="${name}">`,
    `<form id="${name}"><input name="version" value="v1"><input name="scan"></form>`,
    `<form data-service-clock data-clock-config-id="x"><input name="${name}"><input id="${name}"></form>`,
    `<a id="${name}"></a><a id="${name}" name="version" href="v1:">a</a>`,
  ]),
];
