/** The log as a text file, with everything that the platform still keeps of it. */
import { revisionLogs } from '@slipway/contract/revision.ts';
import { send2xx } from '#api/call.ts';
import { linesKept } from '#lib/log/log-store.ts';
import type { LogRef } from './log-stream.ts';

export const downloadLog = async (ref: LogRef, instance: string, isPrevious: boolean): Promise<void> => {
  const query = { tail: linesKept, ...(instance === '' ? {} : { instance }), ...(isPrevious ? { previous: 'true' } : {}) };
  const response = await send2xx(revisionLogs, { params: { ...ref }, query });
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = `${instance === '' ? ref.revision : instance}${isPrevious ? '-previous' : ''}.log`;
  link.click();
  // The browser has taken the file by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};
