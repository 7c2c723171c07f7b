/** The pages of administrators in one chunk: each is small, and seldom opened. */
import { useParams } from 'react-router';
import { NotFound } from '#entities/NotFound.tsx';
import { Component as Audit } from './AuditPage.tsx';
import { Component as FreezeWindows } from './FreezePage.tsx';
import { Component as Keys } from './KeysPage.tsx';
import { Component as Operations } from './operations/OperationsPage.tsx';
import { Component as Health } from './PlatformHealthPage.tsx';
import { Component as Settings } from './SettingsPage.tsx';

export function Component() {
  switch (useParams()['page']) {
    case undefined:
      return <Operations />;
    case 'audit':
      return <Audit />;
    case 'freeze-windows':
      return <FreezeWindows />;
    case 'health':
      return <Health />;
    case 'keys':
      return <Keys />;
    case 'settings':
      return <Settings />;
    default:
      return <NotFound />;
  }
}
