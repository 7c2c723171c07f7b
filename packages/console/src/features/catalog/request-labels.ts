/** Words of catalog requests. */
import type { CatalogRequest, CatalogRequestType } from '@slipway/contract/catalog/request.ts';
import type { StatusLook } from '#entities/status.ts';

export const requestNames: Readonly<Record<CatalogRequestType, string>> = {
  ONBOARD: 'Onboarding',
  UPDATE: 'Change of fields',
  OWNER_CHANGE: 'Change of owners',
  PLATFORM_CHANGE: 'Move to another platform',
  DECOMMISSION: 'Decommissioning',
  DATA_ISSUE: 'Data issue',
};

const looks: Readonly<Record<CatalogRequest['status'], StatusLook>> = {
  PENDING: { tone: 'warn', word: 'Waiting' },
  APPROVED: { tone: 'ok', word: 'Approved' },
  REJECTED: { tone: 'bad', word: 'Rejected' },
  WITHDRAWN: { tone: 'idle', word: 'Withdrawn' },
};
export const requestLook = (request: Pick<CatalogRequest, 'status' | 'void'>): StatusLook =>
  request.void ? { tone: 'idle', word: 'Void' } : looks[request.status];
