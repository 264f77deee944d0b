import { expect, test } from 'bun:test';
import { checkDescriptorLimit, descriptorMetrics, watchDescriptors } from '../../src/server/descriptors.ts';
import { exhaustDescriptors, recordedEvents, requiring, until } from '../support/process.ts';

test('a lack of descriptors is logged at most once in an interval, as long as it lasts', async () => {
  const { log, lines } = recordedEvents();
  let checks = 0;
  const take = () => {
    if (++checks > 5) throw new Error('EMFILE: too many open files');
  };
  const stop = watchDescriptors(log, { take, checkMs: 1, reportMs: 60_000 });
  await until(() => checks === 5, 1);
  expect(lines).toEqual([]);
  await until(() => checks >= 20, 1);
  stop();
  expect(lines).toMatchObject([{ level: 'error', error: 'EMFILE: too many open files' }]);
  const stopOften = watchDescriptors(log, { take, checkMs: 1, reportMs: 0 });
  await until(() => lines.length >= 4, 1);
  stopOften();
});

requiring('Linux', 'prlimit')('without a free descriptor, all are reported as open', () => {
  const { log, lines } = recordedEvents();
  const metrics = descriptorMetrics();
  const values = () => metrics().map(({ samples }) => samples[0]?.value);
  const [open, most] = values();
  expect(open).toBeLessThan(most!);
  {
    using _ = exhaustDescriptors();
    checkDescriptorLimit(log);
    expect(values()).toEqual([most, most]);
  }
  expect(lines).toEqual([]);
});
