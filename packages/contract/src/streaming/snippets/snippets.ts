/**
 * Complete programs that use an account: the shortest that write one message or consume, for common clients. Each begins with the command
 * that installs its client, in the version that the tests run. None contains the password, and all map a key to the same partition.
 */
import type { Snippet, SnippetFacts, SnippetUse } from './facts.ts';
import { go } from './go.ts';
import { java } from './java.ts';
import { kafkajs, node } from './javascript.ts';
import { kcat } from './kcat.ts';
import { python } from './python.ts';

export const snippetLanguages = ['node', 'kafkajs', 'java', 'python', 'go', 'kcat'] as const;
export type SnippetLanguage = (typeof snippetLanguages)[number];
export const snippetLabels: Readonly<Record<SnippetLanguage, string>> = {
  node: 'Node',
  kafkajs: 'KafkaJS',
  java: 'Java',
  python: 'Python',
  go: 'Go',
  kcat: 'kcat',
};

const snippets: Readonly<Record<SnippetLanguage, Snippet>> = { node, kafkajs, java, python, go, kcat };
export const snippetOf = (language: SnippetLanguage, use: SnippetUse, facts: SnippetFacts): string => snippets[language]({ ...facts, use });
