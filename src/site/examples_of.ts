import type { ApiResponse, Operation, ShownExample } from '../api/description/document.ts';

/** The examples of a route, those that fail behind those that do not. */
export function examplesOf({ responses }: Operation): ShownExample[] {
  return Object.values(responses)
    .filter((response): response is ApiResponse => 'content' in response)
    .flatMap(({ content }) => Object.values(content))
    .flatMap(({ examples }) => Object.values(examples ?? {}));
}
