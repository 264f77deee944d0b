import { Html } from '@elysiajs/html';
import type { PageInput } from '../page_input.ts';

/** How a clock comes onto a page, and what may be changed of it there. */
export function ClocksGuide({ document }: PageInput): JSX.Element {
  const isKeyed = document.security !== undefined;
  return (
    <>
      <p>
        <code>/v1/time/clock</code> answers with a piece of HTML: a clock, its config, its stylesheet and its
        script. <a href="/clocks">All thirty</a> can be looked at and copied. There are three ways to put one
        on a page:
      </p>
      <ul>
        <li>
          Your server asks for it and writes the answer into its page as it is. The clock is right before any
          script runs{isKeyed ? ', and the key stays with your server' : ''}.
        </li>
        <li>
          You paste the answer into a file. However old it gets, the clock asks for the time when it is
          loaded; where that is refused it goes by the visitor's own clock, and carries the attribute{' '}
          <code>data-unsynchronised</code>.
        </li>
        <li>
          {isKeyed ? 'On a server that wants no key, two' : 'Two'} lines let the script fetch it: an element
          with <code>data-service-clock-src</code>, and the script.
        </li>
      </ul>
      <pre class="json markup">
        <code
          safe
        >{`<div data-service-clock-src="https://time.example.com/v1/time/clock?style=analog-station&amp;tz=Europe/Zurich"></div>
<script async src="https://time.example.com/v1/time/clock/assets/v1/clock.js"></script>`}</code>
      </pre>
      <p>
        The script may stand in a page once or with every clock. It finds clocks that come later, also those
        that are inserted as HTML, whose own <code>script</code> elements browsers do not run; for those in a
        shadow tree, call <code>serviceClock.scan(root)</code>. A clock asks for the time about once an hour
        and after a sleep; <code>transition</code> in its config lets it pass a clock change without a
        network. One that is given a timestamp runs on from there and never asks.
      </p>
      <p>
        <code>--service-clock-size</code> on the clock or anything around it is the size, 240px without;
        digital clocks are twice as wide. <code>--service-clock-ground</code>,{' '}
        <code>--service-clock-ink</code> and <code>--service-clock-accent</code> are the colours. All works
        under a policy of <code>default-src 'self'</code> when the server is the page's own, else with its
        address in <code>script-src</code>, <code>style-src</code> and <code>connect-src</code>.
      </p>
    </>
  );
}
