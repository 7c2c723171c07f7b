/** The kind `imageScan`. Scans have no page of their own: the registry of the app shows them with its images. */
import { appKind } from './application.kind.ts';
import { declareKind } from '../kernel/subject.ts';

export const imageScanKind = declareKind({
  kind: 'imageScan',
  label: 'Scan',
  plural: 'Scans',
  under: appKind,
  names: [],
  access: 'appMemberHidden',
  shownBy: ['imageScan', 'imageVulnerability', 'imagePackage', 'imageTag', 'imageSbom', 'scanOverview'],
});
