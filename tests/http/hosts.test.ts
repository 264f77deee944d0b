import { expect, test } from 'bun:test';
import { createApp } from '../../src/http/app.ts';
import { testServices } from './service.ts';

test('a path is found behind every host, however short', async () => {
  const overHttp = createApp(testServices());
  const overHttps = createApp(testServices(), { isHttps: true });
  for (const host of ['t', 'tz', 'api', 'a.b', 'x:1', 'localhost', '[::1]:8080', 'time.example.com']) {
    const response = await overHttp.handle(new Request(`http://${host}/v1/time/current?tz=UTC`));
    expect({ host, status: response.status }).toEqual({ host, status: 200 });
  }
  for (const host of ['api', 't.co', 'localhost', '[::1]', 'time.example.com']) {
    const response = await overHttps.handle(new Request(`https://${host}/v1/time/current?tz=UTC`));
    expect({ host, status: response.status }).toEqual({ host, status: 200 });
  }
});
