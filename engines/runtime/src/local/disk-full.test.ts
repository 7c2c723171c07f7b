/** The platform's own disk is full: effects on instances. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SuiteRuntime } from '@slipway/foundation/ports/runtime.suite-runtime.ts';
import { makeLocalSubject } from './runtime-subject.fixture.ts';

// Mounting a small disk requires root.
test.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'an instance whose log finds no space goes on, and the event is reported',
  async (context) => {
    const subject = await makeLocalSubject();
    const logs = join(subject.dataDir, 'logs');
    mkdirSync(logs);
    try {
      execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=64k', 'slipway-test', logs], { stdio: 'ignore' });
    } catch {
      await subject.close();
      return context.skip();
    }
    const suite = new SuiteRuntime(subject);
    try {
      await subject.runtime.acquire();
      const service = suite.service();
      await service.serve();
      for (let lines = 0; lines < 100; lines++) await service.call(`/say?text=${'x'.repeat(2000)}`);
      const event = await service.event('LogLost');
      expect(event).toMatchObject({ type: 'warning', context: {} });
      expect(service.events('LogLost')).toHaveLength(1);
      expect((await service.call('/version')).body).toBe('1');
    } finally {
      await subject.runtime.close();
      execFileSync('/bin/umount', [logs]);
      await suite.close();
    }
  },
);
