/** The thread that reads settings files: one text in, one tree out. */
import { parentPort } from 'node:worker_threads';
import { settingsTree } from './yaml-tree.ts';

parentPort?.on('message', (text: string) => parentPort?.postMessage(settingsTree(text)));
