import { Html } from '@elysiajs/html';
import type { ApiDocument } from '../../api/description/document.ts';
import { CODES_BY_STATUS, KEYED_STATUSES, meaningOf } from '../../api/description/error_meanings.ts';
import { Name } from '../name.tsx';
import { Prose } from '../prose.tsx';

/** The error codes by status, each with its meaning. */
export function ErrorsGuide({ document }: { document: ApiDocument }): JSX.Element {
  const isKeyed = document.security !== undefined;
  const rows = [...CODES_BY_STATUS].filter(([status]) => isKeyed || !KEYED_STATUSES.has(status));
  return (
    <>
      <p>
        An error is JSON too: a code for programs, a message for people that says what was wrong, in which
        parameter, and what would be right, and the request id. Of several mistakes one is told: ambiguity
        before the rest, then the first bad parameter in the order of the route's table.
      </p>
      <table class="reference errors">
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Code</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {rows.flatMap(([status, codes]) =>
            codes.map(code => (
              <tr>
                <td>{String(status)}</td>
                <th scope="row">
                  <Name text={code} />
                </th>
                <td>
                  <Prose text={meaningOf(code, status)} />
                </td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </>
  );
}
