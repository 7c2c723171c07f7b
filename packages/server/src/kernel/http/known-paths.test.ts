import { expect, test } from 'vitest';
import { KnownPaths } from './known-paths.ts';

const paths = new KnownPaths();
paths.add('/', ['GET']);
paths.add('/api/teams', ['GET', 'POST']);
paths.add('/api/teams/:team', ['GET']);
paths.add('/api/teams/:team/apps/:app', ['PUT']);
paths.add('/api/teams/mine', ['DELETE']);
paths.add('/files/*', ['GET']);
paths.add('/*', ['GET']);

test.each([
  ['/', ['GET']],
  ['/api/teams', ['GET', 'POST']],
  ['/api/teams?limit=2', ['GET', 'POST']],
  ['/api/teams/cranes', ['GET']],
  ['/api/teams/two%20words', ['GET']],
  ['/api/teams/mine', ['DELETE', 'GET']],
  ['/api/teams/cranes/apps/berth', ['PUT']],
  ['/files/a/b', ['GET']],
  ['/files/', ['GET']],
  ['/api/teams/', undefined],
  ['/api/teams/cranes/apps', undefined],
  ['/api', undefined],
  ['/elsewhere', undefined],
  ['/api/%zz', undefined],
])('%s takes %j', (target, methods) => expect(paths.methodsOf(target)).toEqual(methods));
