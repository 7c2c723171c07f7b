// @long (shared process, also short): tries a fault at every step of a pipeline, a share of them in `npm test`
/** The generated fault tests, on toys whose engine is a folder: a file per thing that a step makes. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { faultSuite, type FaultWorld } from '#testing/faults/pipeline-faults.ts';
import { subjectNamed } from '#testing/subject-named.ts';
import { definePipeline, type PipelineDefinition, type StepDefinition } from './index.ts';

interface Input {
  readonly name: string;
}
interface State {
  readonly made: readonly string[];
}
type Step = StepDefinition<Input, State>;

const makes = (folder: string, code: string): Step => ({
  code,
  async run(c) {
    fs.mkdirSync(path.join(folder, c.input.name), { recursive: true });
    fs.writeFileSync(path.join(folder, c.input.name, code), c.pipelineId);
    c.log(`Wrote ${code}`);
    return { state: { made: [...(c.state.made ?? []), code] } };
  },
});
const undoable = (folder: string, code: string): Step => ({
  ...makes(folder, code),
  async undo(c) {
    fs.rmSync(path.join(folder, c.input.name, code), { force: true });
  },
});

function folderWorld(define: (folder: string) => PipelineDefinition<Input, State>, done: string[]): FaultWorld<Input, State> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-faults-'));
  const made = (name: string) => (fs.existsSync(path.join(folder, name)) ? fs.readdirSync(path.join(folder, name)).sort() : []);
  const createdBy = { id: 'ada', displayName: 'Ada' };
  return {
    definition: define(folder),
    start: (trx, engine, faulty, name) =>
      engine.start(trx, faulty, { input: { name }, subject: subjectNamed(`app:${name}`), createdBy, trigger: 'person' }),
    async assertCleanSlate(name) {
      expect(made(name)).toEqual([]);
    },
    async assertDone(name) {
      expect(made(name)).toEqual(done);
    },
    async close() {
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

faultSuite<Input, State>('a toy pipeline', {
  steps: ['CheckNames', 'CreateRepository', 'CreateRegistryProject', 'CreateApplication'],
  world: async () =>
    folderWorld(
      (folder) =>
        definePipeline({
          type: 'CreateApplication',
          steps: [
            { code: 'CheckNames', async run() {} },
            undoable(folder, 'CreateRepository'),
            undoable(folder, 'CreateRegistryProject'),
            undoable(folder, 'CreateApplication'),
          ],
        }),
      ['CreateApplication', 'CreateRegistryProject', 'CreateRepository'],
    ),
});

faultSuite<Input, State>('a toy pipeline with a point of no return', {
  steps: ['CheckTeam', 'StopInstances', 'DeleteRevision', 'DeleteService'],
  world: async () =>
    folderWorld(
      (folder) =>
        definePipeline({
          type: 'DeleteService',
          steps: [
            undoable(folder, 'CheckTeam'),
            undoable(folder, 'StopInstances'),
            { ...undoable(folder, 'DeleteRevision'), isPointOfNoReturn: true },
            makes(folder, 'DeleteService'),
          ],
        }),
      ['CheckTeam', 'DeleteRevision', 'DeleteService', 'StopInstances'],
    ),
});
