/** What the code editor takes, and what one can do with it. */
import type { Ref } from 'react';

export type CodeLanguage = 'json' | 'protobuf';

/** Something to say about a line of the text. */
export interface CodeIssue {
  /** From 1. */
  readonly line: number;
  readonly message: string;
  readonly tone: 'bad' | 'warn';
}

export interface CodeEditorHandle {
  focus: () => void;
  /** Puts the cursor at the beginning of a line, from 1, and brings it into view. */
  showLine: (line: number) => void;
}

export interface CodeEditorProps {
  ref?: Ref<CodeEditorHandle>;
  label: string;
  value: string;
  onChange: (text: string) => void;
  onBlur?: () => void;
  language: CodeLanguage;
  issues?: readonly CodeIssue[];
  isReadOnly?: boolean;
  /** It is at least as high as these lines. */
  rows?: number;
  /** Without a frame of its own: the panel around it has one. */
  isFlush?: boolean;
}
