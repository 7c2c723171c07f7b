/** The pages of administrators in one chunk: each is small, and seldom opened. */
import { useParams } from 'react-router';
import { NotFound } from '#entities/NotFound.tsx';
import { Component as Audit } from './AuditPage.tsx';
import { Component as FreezeWindows } from './FreezePage.tsx';
import { Component as Keys } from './KeysPage.tsx';
import { Component as Operations } from './operations/OperationsPage.tsx';
import { Component as Health } from './PlatformHealthPage.tsx';
import { Component as Settings } from './SettingsPage.tsx';

const pages = new Map([
  ['audit', Audit],
  ['freeze-windows', FreezeWindows],
  ['health', Health],
  ['keys', Keys],
  ['settings', Settings],
]);

export function Component() {
  const { page } = useParams();
  const Page = page === undefined ? Operations : (pages.get(page) ?? NotFound);
  return <Page />;
}
