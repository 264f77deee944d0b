import { Html } from '@elysiajs/html';
import type { DataSetManifest } from '../../../data/manifest.ts';
import { Linked } from '../linked.tsx';

/** The data inside the executable: versions, sources and licences. */
export function DataGuide({ data }: { data: readonly DataSetManifest[] }): JSX.Element {
  return (
    <>
      <p>What this server was built with. Its operator may have put newer data in place of it.</p>
      <table class="reference">
        <thead class="unseen">
          <tr>
            <th scope="col">Data</th>
            <th scope="col">Source and licence</th>
          </tr>
        </thead>
        <tbody>
          {data.map(({ name, version, date, source, licence, attribution }) => (
            <tr>
              <th scope="row">
                {Html.escapeHtml(name)}
                <small safe>{`${version}, ${date}`}</small>
              </th>
              <td>
                <Linked text={source} />
                <small>
                  <Linked text={attribution ?? licence} />
                </small>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
