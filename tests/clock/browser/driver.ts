import { parseFragment } from '../../../src/clock/browser/fragment.ts';
import { type Face, openFace } from '../../../src/clock/browser/open_face.ts';
import type { ClockConfig } from '../../../src/clock/clock_config.ts';
import { Moment } from '../../../src/common/moment.ts';
import type { Driver } from '../driver.ts';
import { boxesOf } from './boxes.ts';
import { contrastOf } from './contrast.ts';
import { paintContrastsOf } from './paint_contrast.ts';
import { readFace } from './read_face.ts';

const faces: Face[] = [];
/** When faces were first opened, in milliseconds: shifts before are of the page, painted while it loads. */
let openedMs = Number.POSITIVE_INFINITY;
const shifts: number[] = [];
new PerformanceObserver(list => {
  for (const entry of list.getEntries())
    if (entry.startTime >= openedMs) shifts.push((entry as unknown as { value: number }).value);
}).observe({ type: 'layout-shift' as string as 'layout' });

const driver: Driver = {
  resize(pixels) {
    document.documentElement.style.setProperty('--service-clock-size', `${pixels}px`);
  },
  open() {
    openedMs = Math.min(openedMs, performance.now());
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    for (const host of document.querySelectorAll('.service-clock-host')) {
      host.toggleAttribute('data-calm', isCalm);
      const config = JSON.parse(host.nextElementSibling!.textContent!) as ClockConfig;
      faces.push(openFace(host, config));
    }
  },
  show(epochMs, offsetSeconds, abbreviation) {
    const pace = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'calm' : 'lively';
    for (const face of faces) face(new Moment(epochMs, offsetSeconds, abbreviation), pace);
  },
  read() {
    const roots = [...document.querySelectorAll('.service-clock')];
    return Object.fromEntries(roots.map(root => [root.getAttribute('data-style'), readFace(root)]));
  },
  boxes() {
    const roots = [...document.querySelectorAll('.service-clock')];
    return Object.fromEntries(roots.map(root => [root.getAttribute('data-style'), boxesOf(root)]));
  },
  buildsLikeHtml(fragment) {
    const template = document.createElement('template');
    template.innerHTML = fragment;
    return parseFragment(fragment).host.isEqualNode(template.content.firstElementChild);
  },
  contrastOf,
  paintContrasts({ ground, ink, accent }) {
    for (const [name, colour] of Object.entries({ ground, ink, accent }))
      document.documentElement.style.setProperty(`--service-clock-${name}`, colour ?? '');
    const roots = [...document.querySelectorAll('.service-clock')];
    return Object.fromEntries(roots.map(root => [root.getAttribute('data-style'), paintContrastsOf(root)]));
  },
  async shifts() {
    for (let frame = 0; frame < 3; frame++) await new Promise(resolve => requestAnimationFrame(resolve));
    return shifts;
  },
};

Object.assign(window, { driver });
