import { Html } from '@elysiajs/html';
import type { ApiDocument } from '../../api/description/document.ts';
import { Prose } from '../prose.tsx';

/** The headers of answers. */
export function HeadersGuide({ document }: { document: ApiDocument }): JSX.Element {
  return (
    <>
      <p>
        The headers of answers. Those of the signature come with <code>sign=true</code>.
      </p>
      <table class="reference long-names">
        <thead class="unseen">
          <tr>
            <th scope="col">Header</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(document.components.headers).map(([name, { description }]) => (
            <tr>
              <th scope="row">
                <code safe>{name}</code>
              </th>
              <td>
                <Prose text={description} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
