import { Html } from '@elysiajs/html';

/** How a key is sent, and what counts against its plan. */
export function KeysGuide(): JSX.Element {
  return (
    <>
      <p>
        This server wants a key with every request to the API: as{' '}
        <code>Authorization: Bearer &lt;key&gt;</code> or as <code>X-API-Key: &lt;key&gt;</code>. These pages
        send the one in the field at the top, to this server alone, and forget it when the tab closes.
      </p>
      <p>
        Answers say what the plan of the key allows and what is left of it, in <a href="#headers">headers</a>.
        A bulk counts as one request; requests that are refused with 401, 403, 404 or 429, and failures of the
        server, do not count.
      </p>
    </>
  );
}
