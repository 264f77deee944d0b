import type { ShownExample } from './document.ts';
import type { AnsweredExample } from './example_answers.ts';

/** Examples as the document has them, by a name made of their titles. */
export function shownExamples(examples: readonly AnsweredExample[]): Record<string, ShownExample> {
  return Object.fromEntries(
    examples.map(({ title, request, body }) => [
      title.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
      {
        summary: title,
        description: `GET ${request}`,
        'x-request': request,
        ...(body === undefined ? {} : { value: body }),
      },
    ]),
  );
}
