/** The log as a text file, as many of its newest lines as the page keeps. */
import { revisionLogs } from '@slipway/contract/revision.ts';
import { send2xx } from '#kit/api/call.ts';
import { linesKept } from '#kit/log/log-store.ts';
import { saveFile } from '#kit/save-file.ts';
import type { LogRef } from './log-stream.ts';

export const downloadLog = async (ref: LogRef, instance: string, isPrevious: boolean): Promise<void> => {
  const query = { tail: linesKept, ...(instance === '' ? {} : { instance }), ...(isPrevious ? { previous: 'true' } : {}) };
  const response = await send2xx(revisionLogs, { params: { ...ref }, query });
  saveFile(await response.blob(), `${instance === '' ? ref.revision : instance}${isPrevious ? '-previous' : ''}.log`);
};
