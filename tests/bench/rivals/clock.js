/** The clock fragment as a template string: its script draws the face, unlike meridian's, which is drawn on the server. */
import { randomUUID } from 'node:crypto';

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text) {
  return text.replace(/[&<>"']/g, character => ENTITIES[character]);
}

export function clockFragment({ style, unixMs, offsetMinutes, timezone, label, format, selector }) {
  const id = `clock-${randomUUID()}`;
  const config = JSON.stringify({
    version: 'v1',
    style,
    styleDefinition: { family: style.split('-')[0], renderer: 'svg' },
    unix_ms: unixMs,
    offset_minutes: offsetMinutes,
    timezone,
    timezone_label: label,
    format: format ?? null,
    refresh: { path: '/v1/time/current', selector },
  }).replaceAll('<', '\\u003c');
  return `<div id="${id}" class="service-clock-host" data-service-clock data-clock-config-id="${id}-config" aria-label="${escaped(label)}"></div>
<script type="application/json" id="${id}-config">${config}</script>
<link rel="stylesheet" href="/v1/time/clock/assets/v1/clock.css">
<script src="/v1/time/clock/assets/v1/clock.js" defer></script>
`;
}
