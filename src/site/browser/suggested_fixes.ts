import { make } from './dom.ts';

interface ErrorContent {
  readonly message: string;
  readonly details?: {
    readonly parameter?: string;
    readonly candidates?: readonly {
      readonly name: string;
      readonly admin_area?: string;
      readonly country?: string;
    }[];
  };
}

const MOST_FIXES = 5;

/** Buttons that replace the misspelt part of a parameter and send the request again; null without suggestions. */
export function suggestedFixes(
  request: string,
  error: ErrorContent,
  send: (request: string) => void,
): HTMLElement | null {
  const { message, details } = error;
  const parameter = details?.parameter;
  const values = suggestionsIn(error);
  const [path, query] = request.split('?', 2);
  const parameters = new URLSearchParams(query);
  const typed = parameters.get(parameter ?? '');
  if (parameter === undefined || typed === null || values.length === 0) return null;
  // `Cannot read 'tz': 'Europe/Pariss' is …` quotes only the wrong element of a list.
  const [, wrong] = /: '([^']*)'/.exec(message) ?? [];
  const fixes = values.map(value => {
    const button = make('button', 'quiet', value);
    button.setAttribute('type', 'button');
    button.addEventListener('click', () => {
      parameters.set(
        parameter,
        wrong !== undefined && typed.includes(wrong) ? typed.replace(wrong, value) : value,
      );
      send(`${path}?${parameters}`);
    });
    return button;
  });
  return make('p', 'fixes', 'Did you mean ', ...fixes);
}

function suggestionsIn({ message, details }: ErrorContent): string[] {
  const candidates = details?.candidates?.map(({ name, admin_area, country }) => {
    const area = admin_area ?? country;
    return area === undefined ? name : `${name}, ${area}`;
  });
  const [, quoted = ''] = /did you mean (.*)\?/.exec(message) ?? [];
  const named = [...quoted.matchAll(/'([^']+)'/g)].map(([, name]) => name!);
  return (candidates ?? named).slice(0, MOST_FIXES);
}
