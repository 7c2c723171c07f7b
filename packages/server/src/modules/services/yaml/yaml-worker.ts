/** The worker thread that parses settings files: receives a text, returns a tree. */
import { parentPort } from 'node:worker_threads';
import { settingsTree } from './yaml-tree.ts';

parentPort?.on('message', (text: string) => parentPort?.postMessage(settingsTree(text)));
