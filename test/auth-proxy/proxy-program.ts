import { join } from 'node:path';
import { ROOT } from '../harness/source-files.ts';

/** The folder that install.ts keeps from one run to the next. */
export const PROXY_CACHE = join(ROOT, 'node_modules', '.cache');
/** Where it puts the real proxy. */
export const PROXY_PROGRAM = join(PROXY_CACHE, 'oauth2-proxy-7.15.3');
/** Where it puts Helm, unless the machine has one. */
export const HELM_PROGRAM = join(PROXY_CACHE, 'helm-3.19.0');
/** Where it puts the check of a dashboard against Grafana's types. */
export const DASHBOARD_PROGRAM = join(PROXY_CACHE, 'dashboard-check-0.0.22');
