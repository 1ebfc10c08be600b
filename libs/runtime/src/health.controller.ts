import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Health } from './health';

@Controller('health')
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('live')
  live(): { status: 'live' } {
    return { status: 'live' };
  }

  @Get('ready')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const readiness = await this.health.readiness();
    const status = readiness.ready ? 'ready' : 'unavailable';
    await reply.status(readiness.ready ? 200 : 503).send({ status, checks: readiness.checks });
  }
}
