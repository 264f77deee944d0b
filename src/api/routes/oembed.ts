import { type Static, Type } from '@sinclair/typebox';
import { STYLE_NAMES, STYLES } from '../../clock/styles/styles.ts';
import { quoted, ServiceError } from '../../common/errors.ts';
import { encode, objectSchema } from '../../common/json.ts';
import { asGiven, choice, optional, parseChoice, required, text, wholeWithin } from '../inputs.ts';
import { withDetails } from '../payloads.ts';
import { jsonRoute } from '../route.ts';
import { BOARD_PATH, EMBED_PATH, EMBED_STYLE, OEMBED_PATH } from './embed.ts';

const pixels = (description: string) => wholeWithin(description, 'pixels', 480, 9999);

const OEMBED_FORMATS = ['json', 'xml'] as const;

const address = required(
  text(
    'URL of a clock page on this server, absolute or relative to the root.',
    `${EMBED_PATH}?style=analog-brass`,
  ),
  `the URL of ${EMBED_PATH} or ${BOARD_PATH} on this server`,
  asGiven,
);

const oembedFormat = optional(
  choice(OEMBED_FORMATS, 'Format of the response; only `json` is supported.'),
  (value, name) => {
    if (parseChoice(value, name, OEMBED_FORMATS) === 'json') return 'json';
    throw new ServiceError('DEPENDENCY_NOT_READY', 'oEmbed is available only as JSON: use format=json');
  },
);

const OembedPayload = objectSchema(
  'OembedPayload',
  'How to embed a clock: https://oembed.com, section 2.3.',
  {
    version: Type.Literal('1.0', { description: 'The version of oEmbed.' }),
    type: Type.Literal('rich', { description: 'The kind of content: HTML.' }),
    provider_name: Type.String({ description: 'The name of this service.' }),
    provider_url: Type.String({ format: 'uri', description: 'The URL of this server.' }),
    title: Type.String({ description: 'A title for the clock.' }),
    html: Type.String({ description: 'An `iframe` for a page.' }),
    width: Type.Integer({ description: 'Width of the frame in pixels.' }),
    height: Type.Integer({ description: 'Height of the frame in pixels.' }),
  },
);

export const oembedRoute = jsonRoute({
  path: OEMBED_PATH,
  group: 'clock',
  summary: 'How to embed a clock page, by its URL',
  description: `oEmbed 1.0, for programs into which people paste a URL of \`${EMBED_PATH}\` or \`${BOARD_PATH}\`.`,
  parameters: {
    url: address,
    maxwidth: pixels('Maximum width of the frame in pixels.'),
    maxheight: pixels('Maximum height of the frame in pixels.'),
    format: oembedFormat,
  },
  lifetime: 'moment',
  payload: OembedPayload,
  errors: ['NOT_FOUND'],
  examples: [
    { title: 'A clock', query: `url=${EMBED_PATH}%3Fstyle=analog-brass` },
    {
      title: 'A board that fits into 360 pixels',
      query: 'url=/embed/board%3Fstyle=analog-brass&maxwidth=360',
    },
  ],
  handle({ url, maxwidth, maxheight }, context) {
    const { baseUrl } = context;
    const { address, width, height } = embeddablePage(url, baseUrl);
    const scale = Math.min(1, (maxwidth ?? width) / width, (maxheight ?? height) / height);
    const size = {
      width: Math.max(1, Math.round(width * scale)),
      height: Math.max(1, Math.round(height * scale)),
    };
    const payload = encode<Static<typeof OembedPayload>>({
      version: '1.0',
      type: 'rich',
      provider_name: 'meridian',
      provider_url: baseUrl,
      title: 'Clock',
      html: `<iframe src="${address.replaceAll('&', '&amp;')}" width="${size.width}" height="${size.height}" title="Clock" loading="lazy" style="border:0;color-scheme:light"></iframe>`,
      ...size,
    });
    return withDetails(payload, context);
  },
});

/** The clock page at a URL, as normalized by browsers, and the size of its frame. */
function embeddablePage(url: string, baseUrl: string) {
  const parsed = URL.parse(url.startsWith('/embed/') ? baseUrl + url : url, baseUrl);
  const given = parsed?.searchParams.get('style') ?? EMBED_STYLE;
  const style = STYLE_NAMES.find(name => name === given);
  const page = [EMBED_PATH, BOARD_PATH].find(path => parsed?.href.split('?', 1)[0] === `${baseUrl}${path}`);
  if (parsed === null || style === undefined || page === undefined) {
    throw new ServiceError('NOT_FOUND', `There is no clock page at ${quoted(url)} on ${baseUrl}`);
  }
  const [width, height] =
    page === BOARD_PATH ? [720, 480] : STYLES[style].definition.family === 'analog' ? [240, 240] : [480, 192];
  return { address: parsed.href, width, height };
}
