/** The 404 page links to what was likely meant. */
import { expect, test, vi } from 'vitest';
import { openPage } from '../testing/open-page.tsx';
import { NotFound } from './NotFound.tsx';

const asked: { id: string; query?: unknown }[] = [];
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async ({ id }: { id: string }, { query }: { query?: unknown }) => {
    asked.push({ id, query });
    const all: Record<string, object[]> = {
      applicationList: [{ id: 'berth-planner' }, { id: 'berth-api' }],
      serviceList: [{ name: 'berth-planner-api' }],
      teamList: [{ id: 'cranes' }],
    };
    return { content: all[id] ?? [] };
  }) as never,
}));
vi.mock(import('#kit/api/runtime-config.ts'), () => ({ runtimeConfig: () => ({ supportUrl: '' }) }) as never);

/** The suggestions load after the page. */
const hrefs = () => [...document.querySelectorAll('p a')].map((link) => link.getAttribute('href'));

test('names an app that is similar, in the environment of the address', async () => {
  await openPage('/app/:app/:env', NotFound, '/app/berth-planer/production');
  await expect.poll(hrefs).toEqual(['/app/berth-planner/production']);
  expect(document.body.textContent).toContain('Did you mean berth-planner?');
  expect(asked).toEqual([{ id: 'applicationList', query: { query: 'ber', size: 100 } }]);
});

test('names a service of the app, and a team', async () => {
  await openPage('/app/:app/:env/service/:service', NotFound, '/app/berth/development/service/berth-planer-api');
  await expect.poll(hrefs).toEqual(['/app/berth/development/service/berth-planner-api']);
  await openPage('/team/:team', NotFound, '/team/crane');
  await expect.poll(hrefs).toEqual(['/team/cranes']);
});

test('asks nothing where no name is wrong', async () => {
  asked.length = 0;
  expect(await openPage('*', NotFound, '/nowhere')).not.toContain('Did you mean');
  expect(asked).toEqual([]);
});
