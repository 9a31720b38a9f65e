"""How gunicorn serves the demo: several processes, so that nothing can hide in the memory of one."""

workers = 2
threads = 4
control_socket_disable = True
