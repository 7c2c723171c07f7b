import { subjectPath } from '@slipway/contract/kinds.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { guidePages, paths, pipelinePath } from './paths.ts';

const ref = { app: 'berth', env: 'production', service: 'berth-api' };

describe('paths', () => {
  test.each([
    [paths.app({ app: 'berth' }), '/app/berth'],
    [paths.app(ref), '/app/berth/production'],
    [paths.containerRegistry(ref), '/app/berth/production/container-registry'],
    [paths.containerRegistry(ref, 'policy'), '/app/berth/production/container-registry/policy'],
    [paths.repository({ ...ref, repository: 'berth/tools' }), '/app/berth/production/container-registry/repositories/berth%2Ftools'],
    [
      paths.image({ ...ref, repository: 'berth-api', tag: '1.4.0' }),
      '/app/berth/production/container-registry/repositories/berth-api/1.4.0',
    ],
    [paths.webhook({ ...ref, webhook: 'board' }), '/app/berth/production/container-registry/webhooks/board'],
    [paths.appActivity(ref), '/app/berth/production/activity-logs'],
    [paths.service(ref), '/app/berth/production/service/berth-api'],
    [paths.service(ref, 'pipelines'), '/app/berth/production/service/berth-api/pipelines'],
    [paths.revision({ ...ref, revision: 'berth-api-3' }), '/app/berth/production/service/berth-api/revision/berth-api-3'],
    [paths.pipeline({ ...ref, pipeline: 'p/1' }), '/app/berth/production/service/berth-api/pipeline/p%2F1'],
    [paths.databases(ref), '/app/berth/production/database'],
    [paths.database({ ...ref, database: 'plans' }, 'backups'), '/app/berth/production/database/plans/backups'],
    [paths.team('cranes', 'activity-logs'), '/team/cranes?tab=activity-logs'],
    [paths.newAppBlank('MAC 1'), '/new-app/blank?macId=MAC%201'],
  ])('%s', (built, expected) => {
    expect(built).toBe(expected);
  });
});

describe('pipelinePath', () => {
  const all = { ...ref, team: 'cranes', revision: 'berth-api-3', group: 'keys' };
  test.each([
    ['service', '/app/berth/production/service/berth-api/pipeline/p1'],
    ['revision', '/app/berth/production/service/berth-api/pipeline/p1'],
    ['app', '/pipelines/p1'],
    ['team', '/pipelines/p1'],
    ['secretGroup', '/pipelines/p1'],
    ['a kind of another version', '/pipelines/p1'],
  ])('%s', (kind, expected) => {
    expect(pipelinePath({ pipelineId: 'p1', subject: { kind, names: all } })).toBe(expected);
  });
});

test('the pages that the kinds declare are those of the console', () => {
  const revision = { ...ref, revision: 'berth-api-3' };
  const shown = (kind: string, names: Readonly<Record<string, string>>) => subjectPath({ kind, names });
  expect(shown('team', { team: 'cranes' })).toBe(paths.team('cranes'));
  expect(shown('app', ref)).toBe(paths.app({ app: 'berth' }));
  expect(shown('service', ref)).toBe(paths.service(ref));
  expect(shown('revision', revision)).toBe(paths.revision(revision));
  expect(shown('secretGroup', { ...ref, group: 'keys' })).toBe(paths.secretGroup({ ...ref, group: 'keys' }));
  expect(pipelinePath({ pipelineId: 'p1', subject: { kind: 'service', names: ref } })).toBe(paths.pipeline({ ...ref, pipeline: 'p1' }));
  expect(shown('instance', revision)).toBe(paths.revision(revision));
});

test('each page of the guide that the console links to exists, with its anchor', () => {
  const guide = resolve(import.meta.dirname, '../../../../docs/guide');
  const anchors = (markdown: string): string[] =>
    [...markdown.matchAll(/^#{2,3} (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
  for (const page of guidePages) {
    const [slug = '', anchor] = page.split('/#');
    const markdown = readFileSync(resolve(guide, `${slug || 'index'}.md`), 'utf8');
    if (anchor !== undefined) expect(anchors(markdown), page).toContain(anchor);
  }
});

test('the console links to the guide by these pages alone', () => {
  const sources = resolve(import.meta.dirname, '..');
  const written = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|entities\/paths\.ts$/.test(file))
    .filter((file) => /docs\(\)\}|['"`]\/docs\/[^'"`]/.test(readFileSync(resolve(sources, file), 'utf8')));
  expect(written).toEqual([]);
});
