/** What is filtered, as a file: a table for a spreadsheet, or lines of JSON for a program. */
import { appActivityExport } from '@slipway/contract/activity.ts';
import { send2xx } from '#kit/api/call.ts';
import { saveFile } from '#kit/save-file.ts';
import type { ActivityQuery } from './activity-filter.ts';

export const exportActivity = async (place: { app: string; env: string }, query: ActivityQuery, format: 'csv' | 'json'): Promise<void> => {
  const { app, env } = place;
  const response = await send2xx(appActivityExport, { params: { app, env }, query: { ...query, format } });
  const ending = format === 'csv' ? 'csv' : 'jsonl';
  saveFile(await response.blob(), `${query.service ?? app}-${env}-activity.${ending}`);
};
