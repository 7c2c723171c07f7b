/** Props and handle of the code editor. */
import type { Ref } from 'react';

export type CodeLanguage = 'json' | 'protobuf';

/** A message about a line of the text. */
export interface CodeIssue {
  /** From 1. */
  readonly line: number;
  readonly message: string;
  readonly tone: 'bad' | 'warn';
}

export interface CodeEditorHandle {
  focus: () => void;
  /** Moves the cursor to the start of a line, counted from 1, and scrolls it into view. */
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
  /** Minimum height in lines. */
  rows?: number;
  /** True inside a panel, which has its own frame. */
  isFlush?: boolean;
}
