/** Limitations of a scan, as codes with a context: why there is none, why it failed, and what it did not cover. */
import * as z from 'zod/mini';
import { fill } from '../kernel/errors.ts';

/** `unread`: part of the image was not scanned. `uncovered`: the packages were found, but no advisories cover them. */
const texts = {
  // Why there is no scan, or why it failed.
  NotAnImage: { kind: 'none', message: 'This is no image, but {mediaType}: there are no packages to look for' },
  ImageGone: { kind: 'none', message: 'The image is not in the registry any more' },
  ImageUnreadable: { kind: 'none', message: 'The image could not be read: {reason}' },
  ScannerUnavailable: { kind: 'none', message: 'The scanner does not answer' },
  ScannerFailed: { kind: 'none', message: 'The scanner reported a failure: {reason}' },
  ScanInterrupted: { kind: 'none', message: 'The scan was interrupted {times} times, and is not tried again by itself' },
  // Gaps of a finished scan.
  PlatformMissing: { kind: 'unread', message: 'The image for {platform} was never pushed' },
  TooManyPlatforms: { kind: 'unread', message: 'Only {read} of {platforms} platforms were looked at' },
  LayerUnreadable: { kind: 'unread', message: 'A layer could not be read: {reason}' },
  FileTooLarge: { kind: 'unread', message: '{path} is too large to be read' },
  FileUnreadable: { kind: 'unread', message: '{path} could not be read: {reason}' },
  PackagesUnread: { kind: 'unread', message: '{what} are not read by this scanner: {count} found, such as {path}' },
  SystemUnknown: {
    kind: 'unread',
    message: 'The packages of the system {system} are not read or not compared: it is none that this scanner knows',
  },
  SystemPackagesMissing: { kind: 'unread', message: 'The image is of {system}, but has no list of its packages' },
  TooManyFiles: { kind: 'unread', message: 'Only the first {read} of {files} files that describe packages were read' },
  TooManyPackages: { kind: 'unread', message: 'Only the first {read} packages were kept' },
  TooManyFindings: { kind: 'unread', message: 'Only the first {kept} vulnerabilities were kept' },
  OutOfTime: { kind: 'unread', message: 'Reading the packages took longer than {seconds} s' },
  VersionUnreadable: { kind: 'uncovered', message: 'The version {version} of {name} could not be compared' },
  NoPackages: { kind: 'unread', message: 'No packages were found: no list names what was copied or linked into the image' },
  NoAdvisories: { kind: 'uncovered', message: 'No advisories are imported' },
  EcosystemUncovered: { kind: 'uncovered', message: 'No advisories for {ecosystem} are imported: {packages} packages were not compared' },
  DemoAdvisories: { kind: 'uncovered', message: 'Compared with the demo advisories alone, which know a few old packages' },
} as const;

export const scanNoteCodes = Object.keys(texts) as readonly ScanNoteCode[];
export type ScanNoteCode = keyof typeof texts;
export const ScanNote = z.object({ code: z.string(), context: z.record(z.string(), z.string()) });
export interface ScanNote {
  readonly code: string;
  readonly context: Readonly<Record<string, string>>;
}
export const scanNote = (code: ScanNoteCode, context: Readonly<Record<string, string>> = {}): ScanNote => ({ code, context });

const isNoteCode = (code: string): code is ScanNoteCode => Object.hasOwn(texts, code);
export const scanNoteText = ({ code, context }: ScanNote): string => (isNoteCode(code) ? fill(texts[code].message, context) : code);
const helpFor = (note: ScanNote): string => {
  if (!isUnread(note)) return 'Ask an administrator to import advisories.';
  return note.code === 'NoPackages'
    ? 'Install its programs as packages, or ask an administrator to connect an outside scanner.'
    : 'Leave it out of the image, or ask an administrator to connect a scanner that reads it.';
};
/** Adds what to do if a policy refuses the image because of the note. */
export const scanNoteHelp = (note: ScanNote): string => `${scanNoteText(note)}. ${helpFor(note)}`;
/** True if part of the image was not scanned and may contain vulnerabilities. */
export const isUnread = ({ code }: ScanNote): boolean => !isNoteCode(code) || texts[code].kind === 'unread';
