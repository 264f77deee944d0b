import { quoted, unreadable } from '../../common/errors.ts';
import { dataSets } from '../../operations/served_data.ts';
import type { TimeNames } from '../../text/languages.ts';
import { type Strftime, strftimeOf } from '../../text/strftime.ts';
import { type DecodeContext, group, type InputFactory, optional, parsedValue, text } from '../inputs.ts';

export interface Rendering {
  /** The pattern of `formatted`; null without it. */
  readonly format: Strftime | null;
  /** The names in the language of `lang`; null for English as in the C locale. */
  readonly names: TimeNames | null;
}

export const LanguageText = text(
  'Language of weekday and month names (BCP 47), from CLDR; by default English.',
  'fr',
  { maxLength: 64 },
);

export const FormatText = text('strftime pattern; adds `formatted`.', '%A, %d %B %Y', { maxLength: 256 });

export const LANGUAGES = dataSets('languages');
export const READS_OF_LANGUAGE = { lang: LANGUAGES };

export const language: InputFactory<TimeNames | null> = optional(LanguageText, namesOf, LANGUAGES);

export const rendering: InputFactory<Rendering> = group({
  parameters: { lang: LanguageText, format: FormatText },
  readsOf: READS_OF_LANGUAGE,
  absent: { format: null, names: null },
  decode(query, context) {
    const names = parsedValue(query, 'lang', (tag, name) => namesOf(tag, name, context));
    const format = parsedValue(query, 'format', (pattern, name) =>
      strftimeOf(pattern, name, names ?? undefined),
    );
    return { format, names };
  },
});

/** The names in a language. Throws `INVALID_PARAMETER` if there are none. */
export function namesOf(tag: string, parameter: string, { snapshot }: DecodeContext): TimeNames {
  const names = snapshot.languages.namesOf(tag);
  if (names !== undefined) return names;
  throw unreadable(
    parameter,
    `${quoted(tag)} is not a language tag such as 'pt-BR', or CLDR has no month names for it`,
  );
}
